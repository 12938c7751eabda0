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

test('DEC-07 watchers of a run are told of it, each once, and those of other runs are not', async () => {
  const { heard, watchers, add } = watched()
  add('one', 'a')
  add('one', 'b')
  add('two', 'c')
  watchers.notify('one')
  expect(heard).toEqual([])
  await microtasks()
  expect(heard).toEqual(['a', 'b'])
})

test('DEC-07 all watchers are told of a change that may be of any run', async () => {
  const { heard, watchers, add } = watched()
  add('one', 'a')
  add('two', 'b')
  watchers.notifyAll()
  await microtasks()
  expect(heard).toEqual(['a', 'b'])
})

test('DEC-07 who has stopped watching is told nothing, not even of what came before', async () => {
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

test('DEC-07 how many watch is told at each change, and a second stop changes nothing', () => {
  const { sizes, watchers, add } = watched()
  const stop = add('one', 'a')
  add('two', 'b')
  stop()
  stop()
  watchers.clear()
  expect(sizes).toEqual([1, 2, 1, 0])
})

test('SCALE-01 DEC-07 who hears of every run is told of each, and of work alone; how many they are is told', async () => {
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
