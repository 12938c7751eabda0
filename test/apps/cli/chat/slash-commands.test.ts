import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { withMentionedFiles } from '../../../../src/apps/cli/chat/mentioned-files.ts'
import { call, lastLine } from '../command.ts'
import { atTerminal, noTerminal } from '../pty.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

/** A module with an agent that says how many prompts it has seen, and the last one. */
async function counting(): Promise<readonly string[]> {
  const engine = new URL('../../../../src/', import.meta.url).href
  const text = `
    import { createAgent, textOf } from '${engine}index.ts'
    import { scripted } from '${engine}adapters/providers/scripted.ts'
    const model = scripted(({ messages }) => {
      const said = messages.filter(({ role }) => role === 'user')
      return 'Number ' + said.length + ' was ' + textOf(said.at(-1)) + '.'
    })
    export default (store) => [createAgent({ name: 'counter', model, store })]`
  await writeFile(join(cwd, 'counter.mjs'), text)
  return ['chat', '--agents', 'counter.mjs', '--store', 'runs.db']
}

test.skipIf(noTerminal !== '')(
  `CLI-01 slash commands undo, answer again, fork and count, and unknown ones are refused${noTerminal}`,
  async () => {
    const { type, ready, until, ended } = atTerminal([...(await counting()), '--session', 'talk'], { cwd })
    const say = async (line: string, answer: string, times = 1) => {
      await ready()
      type(`${line}\r`)
      await until(answer, times)
    }
    await say('one', 'Number 1 was one.')
    await say('two', 'Number 2 was two.')
    await say('/rerun', 'Number 2 was two.', 2)
    await say('/undo', 'Your next prompt replaces: two')
    await say('three', 'Number 2 was three.')
    await say('/compact', 'It will be shortened before the model is asked next.')
    await say('/undo', 'Your next prompt replaces: three')
    await say('/compact', 'Send that prompt first, then use /compact.')
    await say('four', 'Number 2 was four.')
    await say('/compact', 'It will be shortened', 2)
    await say('five', 'cannot be shortened further')
    await say('/cost', '6 answers, ')
    await say('/help', 'is read\r\nbefore the next turn')
    await say('/fly', 'Unknown command /fly. Known: help')
    await say('/model', 'Name one: /model')
    await say('/fork', 'conversation session_')
    await say('six', 'Number 4 was six.')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
    const { sessions } = lastLine(await call(['sessions', '--store', 'runs.db', '--json'], { cwd }))
    expect(sessions).toMatchObject([{ runs: 1 }, { id: 'talk', runs: 6 }])
  },
)

test.skipIf(noTerminal !== '')(
  `CLI-01 a chat that has undone a prompt neither forks nor answers again before the next one${noTerminal}`,
  async () => {
    const { type, ready, until, ended } = atTerminal([...(await counting()), '--session', 'talk'], { cwd })
    const say = async (line: string, answer: string) => {
      await ready()
      type(`${line}\r`)
      await until(answer)
    }
    await say('one', 'Number 1 was one.')
    await say('two', 'Number 2 was two.')
    await say('/undo', 'Your next prompt replaces: two')
    await say('/rerun', 'Send that prompt first, then use /rerun.')
    await say('/fork', 'Send that prompt first, then use /fork.')
    await say('three', 'Number 2 was three.')
    await say('/fork', 'conversation session_')
    await say('four', 'Number 3 was four.')
    await ready()
    type('\u0004')
    expect(await ended).toBe(0)
  },
)

describe('files a prompt mentions', () => {
  test('CLI-01 sends mentioned files once each, and leaves a word that names no file as a word', async () => {
    await writeFile(join(cwd, 'a.txt'), 'has ``` in it\n')
    const sent = await withMentionedFiles('See @a.txt, @a.txt and ann@example.org @nobody', cwd)
    expect(sent).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'See @a.txt, @a.txt and ann@example.org @nobody' },
        { type: 'text', text: '[File "a.txt"]\nhas ``` in it\n' },
      ],
    })
    await writeFile(join(cwd, 'b.pdf'), '%PDF-1.7')
    expect(await withMentionedFiles('Sum up @b.pdf.', cwd)).toMatchObject({
      content: [{}, { type: 'file', name: 'b.pdf' }],
    })
    expect(await withMentionedFiles('Hi @nobody', cwd)).toBe('Hi @nobody')
  })

  test.each([
    ['@../outside.txt', 'is outside the folder'],
    ['@link.txt', 'is outside the folder'],
    ['@sub', 'is not a regular file'],
    ['@large.txt', '10000001 bytes'],
    ['@binary', 'it is not UTF-8 text'],
    [Array.from({ length: 21 }, (_, index) => `@f${index}`).join(' '), 'at most 20 can be sent'],
  ])('CLI-01 refuses mentioned files that may not be sent: %s', async (prompt, problem) => {
    const root = join(cwd, 'root')
    await mkdir(join(root, 'sub'), { recursive: true })
    await writeFile(join(cwd, 'outside.txt'), 'secret')
    await symlink(join(cwd, 'outside.txt'), join(root, 'link.txt'))
    await writeFile(join(root, 'large.txt'), 'x'.repeat(10_000_001))
    await writeFile(join(root, 'binary'), 'a\0b')
    await expect(withMentionedFiles(prompt, root)).rejects.toThrow(problem)
  })
})
