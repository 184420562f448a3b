/** In pixels; a picture that is smaller stays as it is. */
export const longestSide = 256
