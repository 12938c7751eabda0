import { skillsIndex } from '../../core/prompt/skills-index.ts'
import { loadSkills, type LoadedSkills, type Skill, type SkillWarning } from './load-skills.ts'

export type { Skill, SkillWarning } from './load-skills.ts'

interface SkillSource {
  readonly dir: string
  readonly source: string
}

/**
 * Skills in the format of the Agent Skills standard: an index for the system prompt, and folders that `read_file` may
 * read.
 *
 * @example
 * const skills = await SkillSet.load(['/usr/share/skills', './skills'])
 * createAgent({ name: 'a', model, instructions: skills.formatForPrompt(), tools: fileTools({ root: '.', skills }) })
 */
export class SkillSet {
  readonly #sources: readonly SkillSource[]
  #skills: ReadonlyMap<string, Skill> = new Map()
  #warnings: readonly SkillWarning[] = []

  private constructor(sources: readonly SkillSource[], loaded: readonly LoadedSkills[]) {
    this.#sources = sources
    this.#take(loaded)
  }

  /** Skills of several folders; a later one overrides an earlier one of the same name. Sources are `dir:0`, `dir:1`, … */
  static async load(dirs: readonly string[]): Promise<SkillSet> {
    return await SkillSet.#from(dirs.map((dir, index) => ({ dir, source: `dir:${index}` })))
  }

  /** Skills of one folder, labelled with their origin. */
  static async loadDir(dir: string, source: string): Promise<SkillSet> {
    return await SkillSet.#from([{ dir, source }])
  }

  static async #from(sources: readonly SkillSource[]): Promise<SkillSet> {
    return new SkillSet(sources, await loadAll(sources))
  }

  /** By name, each once. */
  get skills(): readonly Skill[] {
    return [...this.#skills.values()]
  }

  /** Warnings for the authors of the files, also of overridden ones. */
  get warnings(): readonly SkillWarning[] {
    return this.#warnings
  }

  /** Both sets in one; skills of the other override. */
  merge(other: SkillSet): SkillSet {
    const own = { skills: this.skills, warnings: this.warnings }
    const others = { skills: other.skills, warnings: other.warnings }
    return new SkillSet([...this.#sources, ...other.#sources], [own, others])
  }

  /** Reads all folders again; holders of this set see the changes. */
  async reload(): Promise<void> {
    this.#take(await loadAll(this.#sources))
  }

  /** Absolute folders of the skills, for reading and nothing more. */
  folders(): readonly string[] {
    return this.skills.map(({ folder }) => folder)
  }

  /** The index `<available_skills>` for the system prompt; at most `budget` characters, 16,000 by default. */
  formatForPrompt({ budget }: { readonly budget?: number } = {}): string {
    return skillsIndex(this.skills, budget)
  }

  #take(loaded: readonly LoadedSkills[]): void {
    const all = loaded.flatMap(({ skills }) => skills.map((skill) => [skill.name, skill] as const))
    this.#skills = new Map(all)
    this.#warnings = loaded.flatMap(({ warnings }) => warnings)
  }
}

async function loadAll(sources: readonly SkillSource[]): Promise<readonly LoadedSkills[]> {
  return await Promise.all(sources.map(({ dir, source }) => loadSkills(dir, source)))
}
