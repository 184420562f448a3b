/** What a person is told where this machine cannot make all thumbnails; undefined where it can. */
export function thumbnailNote(capabilities: readonly string[]): string | undefined {
  const ways = [
    capabilities.includes('image_thumbnails') ? [] : ['an image is its own (npm install sharp makes small ones)'],
    capabilities.includes('video_thumbnails')
      ? []
      : ["a video's is a grey picture (ffmpeg on the PATH makes one of it)"],
  ].flat()
  return ways.length === 0 ? undefined : `Thumbnails: ${ways.join('; ')}`
}
