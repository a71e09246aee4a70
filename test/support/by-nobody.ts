import { type Actor, actorOfCommand } from '../../src/write/actor.ts'

/** Changes of rows that nobody asked for. */
export const byNobody = (account: string): { readonly account: string; readonly actor: Actor } => ({
  account,
  actor: actorOfCommand(null),
})
