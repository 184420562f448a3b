/** A note if this machine cannot make all thumbnails; undefined if it can. */
export function thumbnailNote(capabilities: readonly string[]): string | undefined {
  const ways = [
    capabilities.includes('image_thumbnails') ? [] : ['images are not scaled down (run npm install sharp)'],
    capabilities.includes('video_thumbnails') ? [] : ['videos get a grey picture (install ffmpeg)'],
  ].flat()
  return ways.length === 0 ? undefined : `Thumbnails: ${ways.join('; ')}`
}
