import type { NameOf } from '../../uploads/names.ts'
import { chosenFormat } from '../config/global-flags.ts'
import type { Context } from '../context/context.ts'

/**
 * Names uploads where a run shows names: where --fields asks for them, and in the tables of a terminal. Nothing is loaded
 * or read elsewhere.
 *
 * @param isNeeded whether names are needed, shown or not
 */
export async function namesShown(
  baseUrl: string,
  { flags, io }: Pick<Context, 'flags' | 'io'>,
  isNeeded = false,
): Promise<NameOf | undefined> {
  const isTable = io.stdout.isTTY && chosenFormat(flags) === undefined
  const isShown =
    flags.fields === undefined ? isTable : flags.fields.split(',').some((field) => field.trim() === 'name')
  if (!isShown && !isNeeded) return undefined
  const { createNameOf } = await import('../../uploads/names.ts')
  return createNameOf(baseUrl, io.env)
}
