import { type Browser, firefox } from 'playwright-core'

interface Session {
  send(method: string, params: unknown): Promise<unknown>
}

/** Whether this run is the one in Firefox. */
export const isFirefox = process.env['TEST_BROWSER'] === 'firefox'

/**
 * Starts the Firefox that `TEST_FIREFOX` names, as it is installed; null if it names none. Playwright speaks WebDriver BiDi with
 * it, of which Firefox 153 lacks a command that Playwright sends for every page: that it is unknown counts as done.
 */
export async function startFirefox(): Promise<Browser | null> {
  const executablePath = process.env['TEST_FIREFOX']
  if (!executablePath) return null
  // Else Firefox ends a script of a test after ten seconds of a busy machine.
  const firefoxUserPrefs = { 'dom.max_script_run_time': 0 }
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs })
  const { _connection } = browser as never as { _connection: { toImpl(one: Browser): { _browserSession: Session } } }
  const sessions: Session = Object.getPrototypeOf(_connection.toImpl(browser)._browserSession)
  const { send } = sessions
  sessions.send = async function (this: Session, method, params) {
    return send.call(this, method, params).catch((error: unknown) => {
      if (method !== 'emulation.setMediaFeaturesOverride' || !/unknown command/.test(`${error}`)) throw error
    })
  }
  return browser
}
