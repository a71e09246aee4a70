import { type Caller, isPlainName, maxSubjectLength } from '../call/caller.ts'
import type { Model } from '../compile/model.ts'
import { didYouMean } from '../compile/names/nearest.ts'
import { knownScopes } from '../guard/scopes.ts'
import { ClaimMistake, readClaims } from '../guard/typed-claims.ts'
import { CommandMistake, UsageMistake } from './command-mistake.ts'

/** The flags that say who calls. */
export const callerFlags = {
  scopes: { type: 'string', value: 'A,B', does: 'what the caller may do; everything by default' },
  subject: { type: 'string', value: 'NAME', does: 'the person or program for whom it calls' },
  claim: {
    type: 'string',
    multiple: true,
    value: 'NAME=TEXT',
    does: 'a claim; NAME:=JSON for JSON; repeatable',
  },
} as const

interface CallerFlags {
  readonly scopes?: string
  readonly subject?: string
  readonly claim?: readonly string[]
}

export const readCallerFlags = (
  { scopes, subject, claim = [] }: CallerFlags,
  model: Model,
): Pick<Caller, 'subject' | 'claims'> & { readonly scopes: readonly string[] } => ({
  scopes: readScopes(scopes, model),
  subject: readSubject(subject),
  claims: claimsOf(claim),
})

function claimsOf(flags: readonly string[]): Caller['claims'] {
  try {
    return readClaims(flags)
  } catch (error) {
    throw error instanceof ClaimMistake ? new UsageMistake(`--claim ${error.message}`) : error
  }
}

/** `*` by default. A scope that no operation needs is refused. */
function readScopes(text: string | undefined, model: Model): readonly string[] {
  if (text === undefined) return ['*']
  const known = knownScopes(model)
  const scopes = text.split(',').map((scope) => scope.trim())
  for (const scope of scopes) {
    if (!known.has(scope)) {
      throw new CommandMistake(`--scopes: "${scope}" opens nothing in this API. ${didYouMean(scope, known)}`)
    }
  }
  return [...new Set(scopes)]
}

function readSubject(text: string | undefined): string | null {
  if (text === undefined || isPlainName(text)) return text ?? null
  throw new UsageMistake(
    `--subject is ${JSON.stringify(text)}. Write 1 to ${maxSubjectLength} plain characters, as in the \`sub\` of a token.`,
  )
}
