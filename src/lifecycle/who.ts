/** Calls that needed no credentials, and (when memory is full) calls of consumers that could not be told apart. */
export const anonymous = 'anonymous'

/**
 * Calls that got nothing from their version: refused for want of credentials, or answered 410. They are shown, but hold up
 * no retirement: what is refused today loses nothing tomorrow, and any scanner could hold it up for ever.
 */
export const refused = 'refused'
