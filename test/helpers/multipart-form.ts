/** One part of a form; without a file name it is a plain field. */
export interface FormPart {
  readonly name: string
  readonly fileName?: string
  readonly type?: string
  readonly content: string | Uint8Array
}

export interface MultipartForm {
  readonly headers: { readonly 'Content-Type': string }
  readonly body: Buffer
}

/** A multipart body with exactly these bytes; nothing is escaped or corrected. */
export function multipartForm(...parts: readonly FormPart[]): MultipartForm {
  const boundary = 'form-boundary-7d81'
  const chunks = parts.flatMap(({ name, fileName, type, content }) => [
    Buffer.from(
      [
        `--${boundary}`,
        `Content-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        '',
        '',
      ].join('\r\n'),
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** The form of an ordinary upload. */
export function fileForm(content: Uint8Array, fileName = 'photo.jpg'): MultipartForm {
  return multipartForm({ name: 'file', fileName, content })
}
