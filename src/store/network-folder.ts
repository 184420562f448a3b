import { statfsSync } from 'node:fs'

/** File systems of other machines, by the numbers of statfs(2): locks there may not reach the machines that share them. */
const networks: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x564c, // NCP
  0x5346414f, // AFS
  0x73757245, // Coda
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x01161970, // GFS 2
  0x7461636f, // OCFS 2
])

/** Whether a folder lies on a disk of another machine, as far as this system tells. */
export function isOnNetwork(folder: string, statfs: (path: string) => { readonly type: number } = statfsSync): boolean {
  try {
    return networks.has(statfs(folder).type >>> 0)
  } catch {
    return false
  }
}
