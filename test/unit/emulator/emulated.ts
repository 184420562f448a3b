import { onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../emulator/index.ts'
import { unlimited } from '../../../src/protocol/rate-limits.ts'
import type { Stats, Upload, UploadPage } from '../../../src/protocol/resources.ts'
import { jpegBytes } from '../../helpers/media.ts'
import { fileForm } from '../../helpers/multipart-form.ts'

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string | ReadableStream<Uint8Array>
  readonly signal?: AbortSignal
}

/** An emulator that closes with the test; by default on a virtual clock and without quotas. */
export async function emulated(options: EmulatorOptions = {}): Promise<Emulator> {
  const quotas = unlimited
  const emulator = await createEmulator({ clock: 'virtual', quotas, onStandstill: () => {}, ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

/** All fields of all answers, so that a test can read the ones it expects. */
export type AnyAnswer = UploadPage & Stats & { readonly upload: Upload; readonly message: string }

export async function json(response: Promise<Response> | Response): Promise<AnyAnswer> {
  return (await (await response).json()) as AnyAnswer
}

/** Sends a request with the first account's key, unless the headers have another. */
export function send(emulator: Emulator, method: string, path: string, options: SendOptions = {}): Promise<Response> {
  const headers = { 'X-Api-Key': emulator.apiKey, ...options.headers }
  const streaming = options.body instanceof ReadableStream ? { duplex: 'half' as const } : {}
  return emulator.fetch(
    new Request(`http://h${path}`, { method, redirect: 'manual', ...options, ...streaming, headers }),
  )
}

/** Sends a file, or a JPEG of so many bytes, with the first account's key. */
export function sendFile(emulator: Emulator, file: Uint8Array | number, name?: string): Promise<Response> {
  return send(emulator, 'POST', '/api/upload', fileForm(typeof file === 'number' ? jpegBytes(file) : file, name))
}

/** An upload of the first account. */
export async function uploaded(emulator: Emulator, file: Uint8Array | number = 1_536, name?: string): Promise<Upload> {
  return (await json(sendFile(emulator, file, name))).upload
}
