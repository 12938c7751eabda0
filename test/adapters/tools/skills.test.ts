import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { loadSkills } from '../../../src/adapters/tools/load-skills.ts'
import { readFrontmatter } from '../../../src/adapters/tools/skill-frontmatter.ts'
import { SkillSet } from '../../../src/adapters/tools/skills.ts'
import { callTool, textOf } from './call-tool.ts'

let folder: string

beforeEach(async () => {
  folder = await temporaryFolder()
})

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path), { recursive: true })
  await writeFile(join(folder, path, 'SKILL.md'), text)
}

const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`

describe('frontmatter', () => {
  test('CTX-03 reads name and description, with any line endings', () => {
    const text = '\uFEFF---\r\nname: pdf\r\ndescription: >\r\n  Reads\r\n  files.\r\nmetadata:\r\n  a: 1\r\n---\r\nbody'
    expect(readFrontmatter(text, 'pdf')).toEqual({ ok: true, name: 'pdf', description: 'Reads files.', warnings: [] })
  })

  test.each([
    [
      'a name that is not its folder',
      'name: other\ndescription: d',
      ['has a name, "other", that is not its folder\'s'],
    ],
    ['no name', 'description: d', ['has no name; that of its folder is taken']],
    ['unknown fields', 'name: pdf\ndescription: d\nversion: 1\nx: [1]', ['has unknown fields: "version", "x"']],
    [
      'a long description',
      `name: pdf\ndescription: ${'x'.repeat(1_025)}`,
      ['has a description of 1025 characters; at most 1024 are expected'],
    ],
    [
      'an odd and long name',
      `name: ${'X_'.repeat(40)}\ndescription: d`,
      [
        `has a name other than a-z, 0-9 and "-": "${'X_'.repeat(40)}"`,
        'has a name of 80 characters; at most 64 are expected',
        `has a name, "${'X_'.repeat(40)}", that is not its folder's`,
      ],
    ],
  ])('CTX-03 warns about %s', (_what, yaml, warnings) => {
    expect(readFrontmatter(`---\n${yaml}\n---\n`, 'pdf')).toMatchObject({ ok: true, warnings })
  })

  test.each([
    ['no frontmatter', '# Title', 'has no frontmatter between two lines of "---"'],
    ['no end of it', '---\nname: a\ndescription: b\n', 'has no frontmatter between two lines of "---"'],
    ['no description', '---\nname: a\n---\n', 'has no description'],
    ['an empty description', '---\nname: a\ndescription: ""\n---\n', 'has no description'],
    ['a description that is a list', '---\ndescription: [a, b]\n---\n', 'has no description'],
    ['a list', '---\n- a\n---\n', 'has frontmatter that cannot be read: it is not a list of fields.'],
  ])('CTX-03 refuses %s', (_what, text, problem) => {
    expect(readFrontmatter(text, 'a')).toEqual({ ok: false, problem })
  })

  test('CTX-03 neither expands aliases nor obeys tags nor reads from prototypes', () => {
    const laughs = Array.from(
      { length: 9 },
      (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}, *a${index}]`,
    )
    const bomb = `---\na0: &a0 lol\n${laughs.join('\n')}\ndescription: *a9\n---\n`
    expect(readFrontmatter(bomb, 'a')).toEqual({ ok: false, problem: 'has no description' })
    const tagged = '---\nname: !!js/function "function () { throw 1 }"\ndescription: !!binary d\n---\n'
    expect(readFrontmatter(tagged, 'a')).toMatchObject({ ok: false })
    const prototype = '---\n__proto__: {description: x}\n---\n'
    expect(readFrontmatter(prototype, 'a')).toEqual({ ok: false, problem: 'has no description' })
    expect(readFrontmatter(`---\na: ${'['.repeat(60_000)}\n---\n`, 'a')).toMatchObject({ ok: false })
  })
})

describe('loading', () => {
  test('CTX-03 later folders override by name, and each skill names its source', async () => {
    await put('one/pdf', skill('pdf', 'First.'))
    await put('one/tax', skill('tax', 'Taxes.'))
    await put('two/pdf', skill('pdf', 'Second.'))
    const loaded = await SkillSet.load([join(folder, 'one'), join(folder, 'two')])
    expect(loaded.skills.map(({ name, description, source }) => [name, description, source])).toEqual([
      ['pdf', 'Second.', 'dir:1'],
      ['tax', 'Taxes.', 'dir:0'],
    ])
    expect(loaded.warnings).toEqual([])
    const mine = await SkillSet.loadDir(join(folder, 'one'), 'mine')
    expect(loaded.merge(mine).skills.map(({ name, source }) => [name, source])).toEqual([
      ['pdf', 'mine'],
      ['tax', 'mine'],
    ])
    expect(loaded.formatForPrompt()).toContain(`<location>${join(folder, 'two/pdf/SKILL.md')}</location>`)
  })

  test('CTX-03 skips unusable entries with a warning, and continues', async () => {
    await put('skills/good', skill('good', 'Good.'))
    await put('skills/bad', 'no frontmatter')
    await mkdir(join(folder, 'skills/empty'))
    await mkdir(join(folder, 'skills/pipe'))
    execFileSync('mkfifo', [join(folder, 'skills/pipe/SKILL.md')])
    await put('outside', skill('outside', 'Outside.'))
    await symlink(join(folder, 'outside'), join(folder, 'skills/link'))
    await symlink('good', join(folder, 'skills/same'))
    await mkdir(join(folder, 'skills/out'))
    await symlink(join(folder, 'outside/SKILL.md'), join(folder, 'skills/out/SKILL.md'))
    const loaded = await SkillSet.load([join(folder, 'skills'), join(folder, 'missing')])
    const at = (path: string) => join(folder, path)
    expect(loaded.skills.map(({ name }) => name)).toEqual(['good'])
    expect(loaded.warnings).toEqual([
      { file: at('skills/bad/SKILL.md'), message: 'has no frontmatter between two lines of "---"; skipped.' },
      { file: at('skills/link/SKILL.md'), message: 'is outside its folder of skills; skipped.' },
      { file: at('skills/out/SKILL.md'), message: 'cannot be read: ELOOP; skipped.' },
      { file: at('skills/pipe/SKILL.md'), message: 'has no frontmatter between two lines of "---"; skipped.' },
      { file: at('skills/same/SKILL.md'), message: 'has a name, "good", that is not its folder\'s.' },
      { file: at('missing'), message: 'The folder of skills cannot be read: ENOENT.' },
    ])
  })

  test('CTX-03 loads a folder that is a skill itself, and the skills in it', async () => {
    await put('pdf', skill('pdf', 'Reads.'))
    await put('pdf/forms', skill('forms', 'Fills.'))
    const loaded = await SkillSet.load([join(folder, 'pdf')])
    expect(loaded.skills.map(({ name, folder: place }) => [name, place])).toEqual([
      ['pdf', join(folder, 'pdf')],
      ['forms', join(folder, 'pdf/forms')],
    ])
    await put('broken', 'no frontmatter')
    expect(await loadSkills(join(folder, 'broken'), 'user')).toEqual({
      skills: [],
      warnings: [
        {
          file: join(folder, 'broken/SKILL.md'),
          message: 'has no frontmatter between two lines of "---"; skipped.',
        },
      ],
    })
  })

  test('CTX-03 loads 10,000 skills and lists what fits', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `skill-${index}`)
    for (let at = 0; at < names.length; at += 500) {
      await Promise.all(names.slice(at, at + 500).map((name) => put(`many/${name}`, skill(name, 'One of many.'))))
    }
    const loaded = await SkillSet.load([join(folder, 'many')])
    expect(loaded.skills).toHaveLength(10_000)
    expect(loaded.formatForPrompt({ budget: 5_000 }).length).toBeLessThanOrEqual(5_000)
  }, 60_000)

  test('CTX-03 loads nothing from a folder with too many entries, and reports it', async () => {
    await put('skills/one', skill('one', 'One.'))
    await writeFile(join(folder, 'skills/notes'), '')
    const loaded = await loadSkills(join(folder, 'skills'), 'user', 2)
    expect([loaded.skills.map(({ name }) => name), loaded.warnings]).toEqual([['one'], []])
    await writeFile(join(folder, 'skills/more'), '')
    const message = 'holds more than 2 entries, so none of its skills is loaded.'
    expect(await loadSkills(join(folder, 'skills'), 'user', 2)).toEqual({
      skills: [],
      warnings: [{ file: join(folder, 'skills'), message: expect.stringContaining(message) }],
    })
  })

  test('CTX-03 sees new, changed and vanished skills after a reload, without a restart', async () => {
    await put('skills/a', skill('a', 'Old.'))
    await put('skills/b', skill('b', 'B.'))
    const loaded = await SkillSet.load([join(folder, 'skills')])
    const tools = fileTools({ root: join(folder, 'skills/a'), skills: loaded })
    await put('skills/a', skill('a', 'New.'))
    await put('skills/c', skill('c', 'C.'))
    await rm(join(folder, 'skills/b'), { recursive: true })
    const read = (name: string) => callTool(tools, 'read_file', { path: join(folder, 'skills', name, 'SKILL.md') })
    expect(textOf(await read('b'))).toContain('outside the root folder')
    expect(textOf(await read('c'))).toContain('outside the root folder')
    await loaded.reload()
    expect(loaded.skills.map(({ name, description }) => [name, description])).toEqual([
      ['a', 'New.'],
      ['c', 'C.'],
    ])
    expect(textOf(await read('c'))).toContain('# c')
  })

  test('CTX-03 TOOL-03 tools can read skill folders, and no other folders', async () => {
    await mkdir(join(folder, 'root'))
    await put('skills/pdf', skill('pdf', 'Reads.'))
    await writeFile(join(folder, 'skills/pdf/form.md'), 'a form')
    await writeFile(join(folder, 'skills/secret'), 'SECRET')
    await symlink(join(folder, 'skills/secret'), join(folder, 'skills/pdf/link'))
    const skills = await SkillSet.load([join(folder, 'skills')])
    const tools = fileTools({ root: join(folder, 'root'), write: 'allow', skills })
    const at = (path: string) => join(folder, 'skills', path)
    const answer = async (name: string, given: object) => textOf(await callTool(tools, name, given))
    expect(await answer('read_file', { path: at('pdf/form.md') })).toBe('a form')
    for (const path of [at('secret'), at('pdf/../secret'), at('pdf/link'), at('.')]) {
      expect(await answer('read_file', { path })).toContain('outside the root folder')
    }
    expect(await answer('list_files', { path: at('pdf') })).toContain('outside the root folder')
    expect(await answer('search_files', { path: at('pdf'), query: 'a' })).toContain('outside the root folder')
    expect(await answer('write_file', { path: at('pdf/new'), content: '' })).toContain('outside the root folder')
    const edits = [{ oldText: 'a', newText: 'b' }]
    expect(await answer('edit_file', { path: at('pdf/form.md'), edits })).toContain('outside the root folder')
  })
})
