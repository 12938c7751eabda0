import { statSync } from 'node:fs'
import { isRecord } from '../../core/domain/text/json.ts'
import { expecting, having, listOf, oneOf } from '../../core/domain/text/option-shape.ts'
import { isFilledText, isText } from '../../core/domain/text/shape.ts'

/** The check of an existing folder. */
export const aFolder = expecting(
  'the path of a folder that is there',
  (path) => isFilledText(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true,
)

/** The check of whether a tool asks first. */
export const asking = oneOf('approval', 'allow')

/** The check of a set of skills. */
export const skillFolders = having('a SkillSet', 'folders')

/** The check of an object that reads and writes texts. */
export const textFiles = having('what reads and writes texts', 'read', 'write')

/** The check of a sandbox. */
export const aSandbox = having('a sandbox: bubblewrap(), unconfined() or one of your own', 'check', 'wrap')

/** The check of names of variables. */
export const variableNames = listOf(
  expecting('the name of a variable', (value) => isText(value) && !value.includes('=')),
)

/** The check of environment variables by name. */
export const anEnvironment = expecting('texts by name, such as process.env', isRecord)
