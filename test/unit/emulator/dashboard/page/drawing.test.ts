// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { pictureType, piecesOf } from '../../../../../emulator/dashboard/assets/bodies.ts'
import { change, drawing, onChange, type PageState } from '../../../../../emulator/dashboard/assets/store.ts'
import { view } from '../../../../../emulator/dashboard/assets/view.ts'

// lit-html would say on the console that this is no build for users.
vi.hoisted(() => Object.assign(globalThis, { litIssuedWarnings: new Set(['dev-mode']) }))

test('a part of the page is drawn again only if something has changed that it reads, the address and problems included', async () => {
  const [place, drawn] = [document.createElement('div'), vi.fn()]
  const show = ({ focused, said }: PageState) => view`${focused} ${focused === 2 && said['clock']}${drawn()}`
  onChange([drawing(place, show)])
  const counts: number[] = []
  for (const each of [{ focused: 1 }, { findings: [] }, { query: '?a' }, { problems: {} }, { focused: 2 }]) {
    change(each)
    await new Promise((resolve) => requestAnimationFrame(resolve))
    counts.push(drawn.mock.calls.length)
  }
  expect([counts, place.textContent?.trim()]).toEqual([[1, 1, 2, 3, 4], '2'])
})

test('only known pictures are drawn, by their first bytes, and a form is told apart in parts', () => {
  expect(pictureType('\x89PNG\r\n')).toBe('image/png')
  expect(pictureType('<svg xmlns="x" onload="alert(1)">')).toBeUndefined()
  const form = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--b\r\nX: y\r\n\r\n\xff\r\n--b--\r\n'
  expect(piecesOf(form)).toEqual([
    { name: 'Content-Disposition: form-data; name="a"', bytes: 'one' },
    { name: 'X: y', bytes: '\xff' },
  ])
})
