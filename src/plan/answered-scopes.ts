import { type Grants, holds } from '../call/grants.ts'

/**
 * Which of the scopes that a statement may ask for a caller holds: ` +deals:margins -deals:names`. Callers with the same answers share
 * statements. Nobody asks for most resources: the text is empty. Texts can be joined.
 */
export function answeredScopes(grants: Grants, asked: readonly string[]): string {
  let text = ''
  for (const scope of asked) text += ` ${holds(grants, scope) ? '+' : '-'}${scope}`
  return text
}

/**
 * The same as grants for making a statement. A scope that is not among them is an error: the statement would be served to callers with another
 * answer.
 */
export class AnsweredGrants extends Set<string> {
  readonly #asked: ReadonlySet<string>

  constructor(text: string) {
    const answers = text.split(' ').slice(1)
    super(answers.filter((answer) => answer.startsWith('+')).map((answer) => answer.slice(1)))
    this.#asked = new Set(answers.map((answer) => answer.slice(1)))
  }

  override has(scope: string): boolean {
    if (scope === '*') return false
    if (!this.#asked.has(scope))
      throw new Error(`a statement asks for the scope ${scope}, which its key lacks`)
    return super.has(scope)
  }
}
