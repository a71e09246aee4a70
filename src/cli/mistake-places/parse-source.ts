import module from 'node:module'
import { type AnyNode, parse } from 'acorn'

/**
 * The syntax of a TypeScript source. Node puts spaces in place of types, so every part is where it is in the text. Null for a faulty source, and
 * in Bun, which does not have the function.
 */
export function parseSource(text: string): AnyNode | null {
  try {
    const source = withoutTypes(text)
    return source === null ? null : parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** Node warns that the function may change, which is no matter of the person who made a mistake. */
function withoutTypes(text: string): string | null {
  if (!module.stripTypeScriptTypes) return null
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return module.stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** A part of a source with all parts of it, in the order of the text. */
export function* partsOf(node: AnyNode): Generator<AnyNode> {
  yield node
  for (const inner of innerOf(node)) yield* partsOf(inner)
}

export const innerOf = (node: AnyNode): readonly AnyNode[] =>
  Object.values(node)
    .flat()
    .filter((value) => typeof value?.type === 'string')

/** The text of a string, or a name; null for any other part. */
export const wordIn = (node: AnyNode | undefined): string | null => {
  if (node?.type === 'Identifier') return node.name
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null
}

/** The strings of a source. */
export function* stringsOf(text: string): Generator<{ readonly value: string; readonly at: number }> {
  const source = parseSource(text)
  if (!source) return
  for (const part of partsOf(source))
    if (part.type === 'Literal' && typeof part.value === 'string') yield { value: part.value, at: part.start }
}
