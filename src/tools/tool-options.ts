import { isRecord } from '../domain/json.ts'
import { badOption, having, listOf, oneOf, type OptionCheck } from '../domain/option-shape.ts'

/** The check of whether a tool asks first. */
export const asking = oneOf('approval', 'allow')

/** The check of a set of skills. */
export const skillFolders = having('a SkillSet', 'folders')

/** The check of a sandbox. */
export const aSandbox = having('a sandbox: bubblewrap(), unconfined() or one of your own', 'check', 'wrap')

/** The check of names of variables. */
export const variableNames = listOf((value, option) => {
  if (typeof value !== 'string' || value.includes('='))
    throw badOption(option, value, 'Expected the name of a variable.')
})

/** The check of variables by name. */
export const anEnvironment: OptionCheck = (value, option) => {
  if (!isRecord(value)) throw badOption(option, value, 'Expected texts by name, such as process.env.')
}
