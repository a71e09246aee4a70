/**
 * A lane is a set of statements that can get stuck together: those of one account, which wait for each other's row locks, or on
 * Citus those of all accounts of one node, which may fall silent. The pool limits how many connections one lane can hold, so that
 * a stuck lane leaves connections to the others (shares.ts).
 */
export interface Lanes {
  /** Null for a statement whose connections are not limited. */
  of(account: string | undefined): string | null
  /** Whether statements of two lanes are never in flight on one connection: one would wait for the other. */
  readonly apart: boolean
  /** The most connections that the reads of a lane can hold, and the most that its writes can. */
  mostOfKind(lane: string, connections: number): number
  stop(): void
}

/** How many connections one lane may hold: six of ten. */
export const usualShare = (connections: number): number => Math.max(1, Math.floor(0.6 * connections))

/** Plain PostgreSQL: a lane is an account. There are many accounts and few connections, so lanes share connections. */
export const accountLanes: Lanes = {
  of: (account) => account ?? null,
  apart: false,
  mostOfKind: (_, connections) => usualShare(connections),
  stop: () => {},
}
