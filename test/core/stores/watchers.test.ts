import { expect, test } from 'vitest'
import { createWatchers } from '../../../src/core/stores/rows/watchers.ts'

function watched() {
  const sizes: number[] = []
  const heard: string[] = []
  const watchers = createWatchers((size) => sizes.push(size))
  const add = (runId: string, name: string) => watchers.add(runId, () => heard.push(name))
  return { sizes, heard, watchers, add }
}

const microtasks = () => Promise.resolve()

test('DEC-07 notifies each watcher of a run once, and no watcher of another run', async () => {
  const { heard, watchers, add } = watched()
  add('one', 'a')
  add('one', 'b')
  add('two', 'c')
  watchers.notify('one')
  expect(heard).toEqual([])
  await microtasks()
  expect(heard).toEqual(['a', 'b'])
})

test('DEC-07 notifies all watchers of a change that may concern any run', async () => {
  const { heard, watchers, add } = watched()
  add('one', 'a')
  add('two', 'b')
  watchers.notifyAll()
  await microtasks()
  expect(heard).toEqual(['a', 'b'])
})

test('DEC-07 a watcher that was removed receives nothing, not even earlier changes', async () => {
  const { heard, watchers, add } = watched()
  const stop = add('one', 'a')
  add('one', 'b')
  watchers.notify('one')
  stop()
  await microtasks()
  expect(heard).toEqual(['b'])
  watchers.notifyAll()
  watchers.clear()
  await microtasks()
  expect(heard).toEqual(['b'])
})

test('DEC-07 reports the number of watchers at each change, and a second stop has no effect', () => {
  const { sizes, watchers, add } = watched()
  const stop = add('one', 'a')
  add('two', 'b')
  stop()
  stop()
  watchers.clear()
  expect(sizes).toEqual([1, 2, 1, 0])
})

test('SCALE-01 DEC-07 a watcher of all runs is notified of each run and of work, and counted', async () => {
  const sizes: (readonly number[])[] = []
  const heard: string[] = []
  const watchers = createWatchers((size, ofAll) => sizes.push([size, ofAll]))
  const stop = watchers.addForAll(() => heard.push('all'))
  watchers.add('one', () => heard.push('one'))
  watchers.add('one', () => heard.push('one again'))
  watchers.notifyOfWork()
  await microtasks()
  expect(heard.splice(0)).toEqual(['all'])
  watchers.notify('two')
  await microtasks()
  expect(heard.splice(0)).toEqual(['all'])
  expect(watchers.runIds()).toEqual(['one'])
  stop()
  stop()
  watchers.addForAll(() => heard.push('all'))
  watchers.clear()
  watchers.addForAll(() => heard.push('all'))
  const counted = [
    [1, 1],
    [2, 1],
    [3, 1],
    [2, 0],
    [3, 1],
    [0, 0],
    [1, 1],
  ]
  expect(sizes).toEqual(counted)
})
