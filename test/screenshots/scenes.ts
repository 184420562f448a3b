import sharp from 'sharp'

/** Drawn landscapes: a photograph would have an author and a licence. */
const scenes = {
  'Dawn over the delta': scene('#fde2c8', '#f49f7c', '#c95f6b', '#43506b'),
  'Carpathian ridge': scene('#dff1fb', '#9cc4dd', '#4f7f9f', '#24435c'),
  'Meadow in June': scene('#e9f6d8', '#bcd97a', '#6fa04e', '#2f5d3a'),
  'Lighthouse, late evening': scene('#2b2d5b', '#5d4a8a', '#a3669b', '#1b1b36'),
  'First snow': scene('#eef3f8', '#cfd9e4', '#93a5ba', '#4b5d73'),
  'Dunes at noon': scene('#fdf6d9', '#f3d98b', '#d9a94f', '#8d6a34'),
} as const

type SceneTitle = keyof typeof scenes

export const sceneTitles = Object.keys(scenes) as readonly SceneTitle[]

/** A photo as a camera would make it: a JPEG of 1200 × 800 pixels. */
export function photo(title: SceneTitle): Promise<Buffer> {
  return sharp(Buffer.from(scenes[title])).jpeg({ quality: 82 }).toBuffer()
}

function scene(sky: string, far: string, middle: string, near: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800" viewBox="0 0 1200 800">
<rect width="1200" height="800" fill="${sky}"/>
<circle cx="860" cy="230" r="90" fill="${far}"/>
<path d="M0 470 Q300 310 600 440 T1200 430 V800 H0Z" fill="${far}"/>
<path d="M0 590 Q220 450 500 560 T1200 540 V800 H0Z" fill="${middle}"/>
<path d="M0 690 Q300 590 640 690 T1280 660 V800 H0Z" fill="${near}"/>
</svg>`
}
