/** A grey rectangle of 16 by 12 pixels, as JPEG. */
export const placeholderThumbnail: Uint8Array = Buffer.from(
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAAMABABAREA' +
    '/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQEAAAAAo//EABQQAQAAAAAAAAAAAAAAAAAAACD/2gAIAQEAAT8AH//Z',
  'base64',
)
