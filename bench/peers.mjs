// Tools that answer as a service would: installed for one run, so that none becomes a dependency.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const packages = { 'json-server': '0.17.4', '@mockoon/cli': '9.9.0', msw: '3.0.5' }

/** @returns the folder of each package that npm could install, by name */
export function installPeers(folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
  const install = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted]
  const { status } = spawnSync('npm', install, { cwd: folder, timeout: 180_000 })
  if (status !== 0) console.log(`${wanted.join(', ')} are left out: npm could not install them here`)
  return status === 0 ? Object.fromEntries(Object.keys(packages).map((name) => [name, peer(folder, name)])) : {}
}

const peer = (folder, name) => join(folder, 'node_modules', name)

/** Arguments of Node for a server at a port of 127.0.0.1 that answers `GET /api/stats` with this text. */
export const servers = {
  'json-server'(path, { folder, port, text }) {
    const [data, routes] = [join(folder, 'db.json'), join(folder, 'routes.json')]
    writeFileSync(data, JSON.stringify({ stats: JSON.parse(text) }))
    writeFileSync(routes, '{"/api/*":"/$1"}')
    const flags = ['--quiet', '--host', '127.0.0.1', '--port', String(port), '--routes', routes]
    return [join(path, 'lib/cli/bin.js'), ...flags, data]
  },
  '@mockoon/cli'(path, { folder, port, text }) {
    const response = {
      body: text,
      statusCode: 200,
      headers: [{ key: 'Content-Type', value: 'application/json' }],
      bodyType: 'INLINE',
      disableTemplating: true,
      default: true,
    }
    const route = { uuid: 'stats', type: 'http', method: 'get', endpoint: 'api/stats', responses: [response] }
    const rootChildren = [{ type: 'route', uuid: 'stats' }]
    const data = join(folder, 'mockoon.json')
    writeFileSync(data, JSON.stringify({ name: 'stats', hostname: '127.0.0.1', port, routes: [route], rootChildren }))
    const flags = ['--port', String(port), '--repair', '--disable-log-to-file', '--disable-admin-api']
    return [join(path, 'bin/run.js'), 'start', '--data', data, ...flags]
  },
}
