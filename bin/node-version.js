// Which Node is needed, if this one is too old. Loaded before everything else, and written for such a Node.
const { version, versions = {} } = typeof process === 'object' ? process : {}
const [major, minor] = String(versions.node).split('.').map(Number)
const isOld = major < 22 || (major === 22 && minor < 19)
if (isOld && !versions.bun && !versions.deno) {
  const found = `filehost needs Node 22.19 or newer, and this is ${version}`
  module.exports = `${found}; fh without Node: https://github.com/filehost/filehost/releases`
} else {
  module.exports = undefined
}
