/** The consumer of calls without credentials, and, when memory is full, of calls that are no longer counted by consumer. */
export const anonymous = 'anonymous'

/**
 * The consumer of calls that were refused for missing credentials, or answered 410. Reports show them, but they do not block a
 * retirement: they lose nothing by it, and any scanner could block it for ever.
 */
export const refused = 'refused'
