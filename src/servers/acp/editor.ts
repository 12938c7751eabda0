import type { TextFiles } from '../../adapters/tools/files.ts'
import type { Sandbox } from '../../adapters/tools/shell.ts'
import type { Agent, Toolset } from '../../index.ts'

/** A choice that the person has in the editor, such as the mode or the model. */
export interface EditorChoice {
  readonly id: string
  readonly name: string
  readonly description?: string
  /** `mode`, `model`, `thought_level` or another word, for the place where the editor shows it. */
  readonly category?: string
  /** The names of the values, by value. The first one is the default. */
  readonly values: Readonly<Record<string, string>>
}

/** An editor's offers to the agent of one session. */
export interface EditorSession {
  /** The folder of the session, an absolute path. */
  readonly cwd: string
  /** Toolsets of the MCP servers that the editor names. Their tools need an approval, unless a rule allows them. */
  readonly servers: readonly Toolset[]
  /** The option `texts` of file tools: reads and writes through the editor; absent if the editor does not offer both. */
  readonly texts?: TextFiles
  /** A sandbox for `shellTool` that runs commands in a terminal of the editor. It is no boundary; absent if not offered. */
  readonly terminal?: Sandbox
  /** Shows a choice in the editor, and returns the chosen value. A new choice makes a new agent for the next prompt. */
  choose(choice: EditorChoice): string
}

/** Makes the agent of a session, or gives the one agent of all sessions. */
export type AgentMaker = (editor: EditorSession) => Agent | Promise<Agent>
