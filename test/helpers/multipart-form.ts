/** One part of a form; without a file name it is a plain field. */
export interface FormPart {
  readonly name: string
  readonly fileName?: string
  readonly type?: string
  readonly content: string | Uint8Array
}

export type MultipartForm = ReturnType<typeof multipartForm>

/** A multipart body with exactly these bytes; nothing is escaped or corrected. */
export function multipartForm(...parts: readonly FormPart[]) {
  const boundary = 'form-boundary-7d81'
  const chunks = parts.flatMap(({ name, fileName, type, content }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`
    const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]) as Buffer,
  } as const
}

/** The form of an ordinary upload. */
export function fileForm(content: Uint8Array, fileName = 'photo.jpg'): MultipartForm {
  return multipartForm({ name: 'file', fileName, content })
}
