import { describe, expect, test } from 'vitest'
import { parsePathList } from '../../../../../../src/cli/commands/upload/inputs/path-list.ts'

const lines = false
const nul = true

describe('a list of paths', () => {
  test.each([
    ['lines', 'a.jpg\nb c.jpg\n', ['a.jpg', 'b c.jpg']],
    ['a last line that does not end', 'a.jpg\nb.jpg', ['a.jpg', 'b.jpg']],
    ['lines of Windows', 'a.jpg\r\n\r\nb.jpg\r\n', ['a.jpg', 'b.jpg']],
    ['a byte order mark', '\ufeffa.jpg\n', ['a.jpg']],
    ['spaces around a name, which belong to it', ' a.jpg \n', [' a.jpg ']],
    ['nothing', '', []],
    ['empty lines', '\n\n', []],
  ])('may have %s', (_, text, paths) => {
    expect(parsePathList(Buffer.from(text), lines)).toEqual(paths)
  })

  test('may end its paths with NUL, so that they hold line breaks', () => {
    expect(parsePathList(Buffer.from('a\nb.jpg\0c.jpg\r\0\0'), nul)).toEqual(['a\nb.jpg', 'c.jpg\r'])
  })

  test('may be UTF-16 with its mark, as Windows PowerShell writes it', () => {
    expect(parsePathList(Buffer.from('\ufeffș.jpg\r\nb.jpg\r\n', 'utf16le'), lines)).toEqual(['ș.jpg', 'b.jpg'])
  })

  test('with NUL in its lines is refused, with -0 as what may be missing', () => {
    expect(() => parsePathList(Buffer.from('a.jpg\0b.jpg\0'), lines)).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'Add -0 if its paths end with NUL' }),
    )
  })

  test('that is no text is refused', () => {
    expect(() => parsePathList(Buffer.from([0x61, 0xff, 0x0a]), lines)).toThrow('is not UTF-8 text')
  })
})
