import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** On Debian it is not in the PATH of ordinary users. */
const places = ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx']

/** The program; undefined if it is not installed. */
export const nginxProgram: string | undefined = places.find((place) => spawnSync(place, ['-v']).status === 0)

export interface Nginx {
  /** Without a slash at the end. */
  readonly baseUrl: string
  close(): Promise<void>
}

/** Another program may take a free port before nginx listens on it; then the next one is tried. */
const mostPorts = 5

/**
 * Starts nginx on a free port of 127.0.0.1 in front of the server at `upstream`, buffering requests as most services
 * do. It is one process of the current user with its files in a temporary folder.
 *
 * @throws Error with nginx's own words if it does not start
 */
export async function startNginx(upstream: string): Promise<Nginx> {
  if (nginxProgram === undefined) throw new Error('nginx is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'fh-nginx-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  for (let tried = 1; ; tried += 1) {
    const port = await freePort()
    await writeFile(join(folder, 'nginx.conf'), configuration(port, upstream))
    const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]
    const child = spawn(nginxProgram, args, { stdio: 'ignore' })
    if (await listens(child, port)) {
      const close = async () => {
        await end(child)
        await remove()
      }
      return { baseUrl: `http://127.0.0.1:${port}`, close }
    }
    if (tried < mostPorts) continue
    const said = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')
    await remove()
    throw new Error(`nginx does not start: ${said}`)
  }
}

function configuration(port: number, upstream: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
    daemon off;
    master_process off;
    pid nginx.pid;
    events { worker_connections 1000; }
    http {
      access_log off;
      ${kinds.map((kind) => `${kind}_temp_path ${kind};`).join('\n      ')}
      client_max_body_size 1g;
      proxy_request_buffering on;
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass ${upstream};
          proxy_set_header Host $http_host;
        }
      }
    }
  `
}

async function listens(child: ChildProcess, port: number): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    if (await accepts(port)) return true
    await sleep(5)
  }
  return false
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const settle = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
