import { realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { confinePath } from './confine-path.ts'
import { errorCode } from './file-failure.ts'
import { type HeldFolder, holdFolder, readIn } from './held-folder.ts'
import { inFolderOf } from './held-place.ts'
import { headLimit, readFrontmatter } from './skill-frontmatter.ts'
import { entriesUpTo, type WalkedEntry } from './walk-files.ts'

/** A skill found in a folder of skills. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Absolute path of its SKILL.md. */
  readonly file: string
  /** Absolute path of its folder, links followed. */
  readonly folder: string
  /** The source, as the loader of the skill names it. */
  readonly source: string
}

/** A warning about a SKILL.md for its author. */
export interface SkillWarning {
  readonly file: string
  readonly message: string
}

/** The skills of a folder. */
export interface LoadedSkills {
  readonly skills: readonly Skill[]
  readonly warnings: readonly SkillWarning[]
}

const width = 16

/** Returns the skills of a folder, sorted by name, or a warning if it is missing or has more than `most` entries. */
export async function loadSkills(dir: string, source: string, most = 20_000): Promise<LoadedSkills> {
  let held: HeldFolder | undefined
  try {
    const root = await realpath(dir)
    held = await holdFolder(root, [])
    return await loadHeld(held, root, source, most)
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return { skills: [], warnings: [{ file: dir, message: `The folder of skills cannot be read: ${code}.` }] }
  } finally {
    await held?.close()
  }
}

async function loadHeld(held: HeldFolder, root: string, source: string, most: number): Promise<LoadedSkills> {
  const entries = await entriesUpTo(most, held)
  if (entries === undefined)
    return { skills: [], warnings: [{ file: root, message: `holds more than ${most} ${refused}` }] }
  const isSkill = entries.some(({ name, kind }) => name === 'SKILL.md' && kind !== 'folder')
  const found: LoadedSkills[] = []
  if (isSkill) {
    found.push(await loadOne(root, basename(root), source, async () => ({ text: await readHead(held, 'SKILL.md') })))
  }
  const places = entries.filter(({ kind }) => kind === 'folder' || kind === 'link')
  for (let at = 0; at < places.length; at += width) {
    const loading = places.slice(at, at + width).map((place) =>
      loadOne(join(root, place.name), place.name, source, async () => {
        return place.kind === 'folder' ? await headOf(place) : await headThroughLink(place, root)
      }),
    )
    found.push(...(await Promise.all(loading)))
  }
  return { skills: found.flatMap(({ skills }) => skills), warnings: found.flatMap(({ warnings }) => warnings) }
}

const refused =
  'entries, so none of its skills is loaded. Name a folder that holds skills alone, or spread them over several folders.'

const nothing: LoadedSkills = { skills: [], warnings: [] }

async function loadOne(
  place: string,
  folderName: string,
  source: string,
  headIn: () => Promise<Head | undefined>,
): Promise<LoadedSkills> {
  const shown = join(place, 'SKILL.md')
  const warned = (message: string) => ({ skills: [], warnings: [{ file: shown, message }] })
  try {
    const head = await headIn()
    if (head === undefined) return warned('is outside its folder of skills; skipped.')
    const read = readFrontmatter(head.text, folderName)
    if (!read.ok) return warned(`${read.problem}; skipped.`)
    const { name = folderName, description } = read
    const folder = head.folder ?? place
    const skill = { name, description, file: join(folder, 'SKILL.md'), folder, source }
    return { skills: [skill], warnings: read.warnings.map((message) => ({ file: shown, message: `${message}.` })) }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    return code === 'ENOENT' || code === 'ENOTDIR' ? nothing : warned(`cannot be read: ${code}; skipped.`)
  }
}

interface Head {
  readonly text: string
  readonly folder?: string
}

async function headOf({ folder, name }: WalkedEntry): Promise<Head> {
  const inner = await folder.enter(name)
  try {
    return { text: await readHead(inner, 'SKILL.md') }
  } finally {
    await inner.close()
  }
}

/** A link may lead to another folder of the same folder of skills, and no further. */
async function headThroughLink({ name }: WalkedEntry, root: string): Promise<Head | undefined> {
  const inside = await confinePath(root, `${name}/SKILL.md`)
  if (!inside.ok) return undefined
  const text = await inFolderOf(inside, (place) => readHead(place.folder, place.name))
  return text === undefined ? undefined : { text, folder: join(inside.path, '..') }
}

async function readHead(folder: HeldFolder, name: string): Promise<string> {
  return (await readIn(folder, name, headLimit)).toString()
}
