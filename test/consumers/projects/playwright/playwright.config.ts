import example from './example.config.js'

export default {
  ...example,
  webServer: [example.webServer, { command: 'node page.js', port: Number(process.env.PAGE_PORT) }],
  use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] } },
}
