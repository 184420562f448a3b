import { readFileSync } from 'node:fs'
import { isKey } from '../../protocol/endpoints.ts'
import { reasonOf } from '../../system/system-errors.ts'
import { CliError, usageError } from '../failures/cli-error.ts'
import { describeOrigin, type GivenSettings } from './settings.ts'

/**
 * The API key: FH_API_KEY, else the content of FH_API_KEY_FILE, else the stored key, else the output of `key_command`.
 *
 * @returns undefined where none is set
 * @throws CliError if the file cannot be read, the command fails, or the text cannot be a key
 */
export async function resolveApiKey(settings: GivenSettings): Promise<string | undefined> {
  const { api_key: key, api_key_file: file, key_command: command } = settings
  if (key !== undefined && (key.origin.type === 'env' || file === undefined)) {
    return checkApiKey(key.value, describeOrigin(key.origin))
  }
  if (file !== undefined) return checkApiKey(readKeyFile(file.value), `${describeOrigin(file.origin)} (${file.value})`)
  return command === undefined ? undefined : checkApiKey(await runKeyCommand(command.value), 'key_command')
}

/**
 * Checks that a key fits into an HTTP header.
 * @param place names the key's source in messages
 * @throws CliError, whose message does not contain the key
 */
export function checkApiKey(text: string, place: string): string {
  const key = text.trim()
  if (key === '') throw new CliError('no-api-key', `${place}: the API key is empty`)
  if (isKey(key)) return key
  throw usageError(`${place}: an API key has no spaces, line breaks or special letters; was more than the key copied?`)
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CliError('no-api-key', `FH_API_KEY_FILE: ${path} cannot be read: ${reasonOf(error)}`, {
      hint: 'Name a file that holds the key, or unset FH_API_KEY_FILE',
      cause: error,
    })
  }
}

async function runKeyCommand(command: string): Promise<string> {
  const { execSync } = await import('node:child_process')
  try {
    // The command may ask for a password on the terminal, so it gets fh's stdin and stderr.
    return execSync(command, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] })
  } catch (error) {
    throw new CliError('no-api-key', `key_command failed: ${command}`, {
      hint: 'Run that command alone to see why; fh config unset key_command removes it',
      cause: error,
    })
  }
}
