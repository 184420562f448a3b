// Required by a program of Node, it tells on standard error how much memory the program had at most, in KiB.
process.on('exit', () => console.error(process.resourceUsage().maxRSS))
