/** The word that stands in place of a field where filters are alternatives: `filter[or][0][status]`. */
export const eitherOrName = 'or'

/** The parameter by which contracts and documents know them. */
export const eitherOrParameter = `filter[${eitherOrName}]`

export const mostAlternatives = 5
export const mostConditions = 5
