// Required by a server of a benchmark, it tells on each message how much processor time the server has used, in microseconds.
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send(user + system)
})
process.channel.unref()
