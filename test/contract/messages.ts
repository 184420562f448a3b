/** The message for a file of another type, with extensions or MIME types. */
export const wrongType = {
  mimes: 'The file field must be a file of type: jpg, jpeg, png, gif, webp, mp4, webm, mov.',
  mimetypes:
    'The file field must be a file of type: image/jpeg, image/png, image/gif, image/webp, video/mp4, video/webm, video/quicktime.',
}

export const required = 'The file field is required.'
export const notAFile = 'The file field must be a file.'
