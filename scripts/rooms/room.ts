/** One room: who lives there, whom it may call, and which packages it may bring in. */
export interface Room {
  readonly name: string
  /** A folder ending in `/`, or one file. */
  readonly path: string
  /** Rooms it may import from. */
  readonly rooms: readonly string[]
  /** Single files of other rooms it may import, each with its reason beside it. */
  readonly files?: readonly string[]
  /** Rooms it may take types from, and nothing that runs. */
  readonly types?: readonly string[]
  /** Package name to the start of the paths that may import it; `node:` stands for every built-in module. */
  readonly packages?: Readonly<Record<string, string>>
  /** Single files that may load modules named at run time, each with its reason beside it. */
  readonly loads?: readonly string[]
  /** True for the rooms beside the product: they may bring in any package, and modules named at run time. */
  readonly isBeside?: boolean
  /** True where the public subpaths of the package may be imported too. */
  readonly doors?: boolean
  /** True where a module may hold nothing but `export … from`. */
  readonly reExportsOnly?: boolean
}
