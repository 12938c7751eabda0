import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { faultServer, type Frame, page, type Reply, stream } from '../../proof/wires/fault-server.ts'
import type { Wire } from '../../proof/wires/wire.ts'
import { wires } from '../../proof/wires/wires.ts'
import { ask } from './ask.ts'

const key = 'k9-fQ7/very+secret=='

test.each(unless('redirect'))('TOOL-03 PRV-02 $name follows no redirect and names its target', async (wire) => {
  await using target = await faultServer(streamed(wire, [...wire.opening, ...wire.closing]))
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `${target.url.replace('://', '://eve:hunter2@')}/v1/messages?token=hunter3`
    await using server = await faultServer(page(status, '', { location }))
    const { error } = await ask(wire.make(server.url))
    expect(error).toMatchObject({ name: 'ModelError', kind: 'api', status })
    expect(String(error)).toContain(`answered HTTP ${status} and points to ${target.url}/v1/messages. Nothing was sent`)
    expect(String(error)).not.toContain('hunter')
  }
  expect(target.requests).toEqual([])
})

test.each(unless('key in an error'))('TOOL-03 $name masks its key wherever an error echoes it', async (wire) => {
  const body = JSON.stringify({ error: { message: `${'x'.repeat(290)} ${key} is wrong` } })
  const replies = [
    page(401, body, { 'content-type': 'application/json' }),
    page(500, `<html>${key}</html>`, { 'content-type': 'text/html' }),
    page(200, `<html>${key}</html>`, { 'content-type': 'text/html' }),
    streamed(wire, [...wire.opening, wire.error('auth', `no ${key}`)]),
  ]
  for (const reply of replies) {
    await using server = await faultServer(reply)
    const { error } = await ask(wire.make(server.url, { apiKey: key }))
    expect(error).toMatchObject({ name: 'ModelError' })
    expect(inspect(error, { depth: 9 })).not.toContain('k9-')
  }
})

test.each(wires)('TOOL-03 $name masks the password of its base URL', async (wire) => {
  const { error } = await ask(wire.make('http://anna:hunter2@127.0.0.1:9'))
  expect(error).toMatchObject({ name: 'ModelError' })
  expect(inspect(error, { depth: 9 })).not.toContain('hunter2')
})

/** The wires that can be asked this; the others say why not. */
function unless(cell: string): readonly Wire[] {
  return wires.filter(({ excused }) => excused?.[cell] === undefined)
}

function streamed({ mediaType }: Wire, frames: readonly Frame[]): Reply {
  return stream(frames, 'end', mediaType)
}
