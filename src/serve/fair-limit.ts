import type { Caller } from '../call/caller.ts'
import type { PlainRequest } from '../call/exchange.ts'
import { networkOf } from '../call/network-of.ts'

/** Who holds a part of a limit: an account, or an address where nobody is authenticated. */
export interface Holder {
  readonly name: string
  /** The subject within the account; null where the caller has none. */
  readonly part: string | null
}

/**
 * A limit that many callers share, without one of them using it up: an account may hold as much as is still free, and a subject as much as
 * its account may still take. So the first account gets at most half of the limit, and the next one half of what is then free.
 */
export class FairLimit {
  readonly #limit: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False where this is more than the share of the holder. It is counted all the same: `giveBack` must follow. */
  take({ name, part }: Holder, amount: number): boolean {
    this.#total += amount
    const whole = this.#add(name, amount)
    const partly = part === null ? 0 : this.#add(part, amount)
    const free = this.#limit - this.#total
    return whole <= free && partly <= free - (part === null ? 0 : whole)
  }

  giveBack({ name, part }: Holder, amount: number): void {
    this.#total -= amount
    this.#add(name, -amount)
    if (part !== null) this.#add(part, -amount)
  }

  get total(): number {
    return this.#total
  }

  #add(key: string, amount: number): number {
    const held = (this.#held.get(key) ?? 0) + amount
    if (held > 0) this.#held.set(key, held)
    else this.#held.delete(key)
    return held
  }
}

export const addressHolder = (address: string): Holder => ({
  name: `address ${networkOf(address)}`,
  part: null,
})

/** The caller of a request that has been authenticated, else its address. */
export const holderOfRequest = ({ note, address }: Pick<PlainRequest, 'note' | 'address'>): Holder => {
  const { account = null, subject = null } = note ?? {}
  return account === null ? addressHolder(address) : callerHolder({ account, subject })
}

/** Names that accounts choose cannot be those of others: JSON has an end. */
export const callerHolder = ({ account, subject }: Pick<Caller, 'account' | 'subject'>): Holder => {
  const part = subject === null ? null : `subject ${JSON.stringify([account, subject])}`
  return { name: `account ${account}`, part }
}
