/** A program for browsers, bundled and minified (build/page-assets.ts). */
declare module '*?script' {
  const text: string
  export default text
}

/** A stylesheet, minified, or another file as it is (build/page-assets.ts). */
declare module '*?text' {
  const text: string
  export default text
}
