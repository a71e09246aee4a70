import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// The programs of other projects that the pages use. A checkout has them in its development dependencies. `scripts/vendor.mjs` copies
// them into dist/vendor, and writes a module in place of this one that finds them there: the package is installed without them.

export interface Reference {
  readonly version: string
  /** With `standalone.esm.js`, and the modules that it imports in `chunks`. */
  readonly folder: string
}

/** The renderer of the reference, as ES modules for browsers. */
export const referenceFiles = (): Reference => {
  const entry = createRequire(import.meta.url).resolve('@scalar/api-reference')
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'))
  return { version, folder: join(dirname(entry), 'browser') }
}

/** Lays out a graph in the DOT language, as SVG. */
export const loadGraphviz = async (): Promise<(dot: string) => string> => {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz')
  const graphviz = await Graphviz.load()
  return (dot) => graphviz.dot(dot)
}
