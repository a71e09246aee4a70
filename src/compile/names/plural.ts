/**
 * English plurals: which words look like one, and the plural of a singular. Not a library: its next release could refuse the name of
 * a resource that is published.
 */

const irregular = new Map([
  ['person', 'people'],
  ['child', 'children'],
  ['man', 'men'],
  ['woman', 'women'],
  ['foot', 'feet'],
  ['tooth', 'teeth'],
  ['goose', 'geese'],
  ['mouse', 'mice'],
  ['ox', 'oxen'],
  ['datum', 'data'],
  ['medium', 'media'],
  ['criterion', 'criteria'],
  ['phenomenon', 'phenomena'],
  ['index', 'indices'],
  ['vertex', 'vertices'],
  ['matrix', 'matrices'],
  ['alumnus', 'alumni'],
  ['stimulus', 'stimuli'],
  ['nucleus', 'nuclei'],
  ['cactus', 'cacti'],
  ['leaf', 'leaves'],
  ['shelf', 'shelves'],
  ['knife', 'knives'],
  ['life', 'lives'],
  ['half', 'halves'],
  ['wolf', 'wolves'],
  ['self', 'selves'],
  ['hero', 'heroes'],
  ['potato', 'potatoes'],
  ['tomato', 'tomatoes'],
  ['echo', 'echoes'],
  ['quiz', 'quizzes'],
])

const irregularPlurals = new Set([
  ...irregular.values(),
  'series',
  'species',
  'sheep',
  'fish',
  'deer',
  'aircraft',
  'spacecraft',
  'offspring',
  'headquarters',
  'means',
  'staff',
  'menus',
  'gurus',
  'haikus',
  'apis',
  'kpis',
  'uris',
  'wikis',
  'taxis',
  'skis',
  'emojis',
  'kiwis',
  'safaris',
  'alibis',
])

/** Singulars that end in a single s. */
const singularInS = new Set([
  'lens',
  'gas',
  'canvas',
  'atlas',
  'bias',
  'alias',
  'cosmos',
  'chaos',
  'ethos',
  'news',
  'physics',
  'mathematics',
  'analytics',
  'logistics',
  'economics',
  'always',
  'has',
  'was',
  'as',
  's',
])

export const looksPlural = (word: string): boolean => {
  if (irregularPlurals.has(word)) return true
  if (singularInS.has(word)) return false
  return word.endsWith('s') && !/(ss|us|is)$/.test(word)
}

export const pluralOf = (word: string): string => {
  if (looksPlural(word)) return word
  const plural = irregular.get(word) ?? regularPlural(word)
  return looksPlural(plural) ? plural : `${plural}es`
}

const regularPlural = (word: string): string => {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  if (/sis$/.test(word)) return `${word.slice(0, -2)}es`
  return /(s|x|z|ch|sh|i|u)$/.test(word) ? `${word}es` : `${word}s`
}

/** `call` for one, `calls` for any other number. */
const nounFor = (count: number, noun: string): string => (count === 1 ? noun : pluralOf(noun))

/** For people: `1 call`, `2,000 calls` */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${nounFor(count, noun)}`

/** `2000` as `2,000`. `toLocaleString` does that too, but the first call takes 25 ms, which is long for a command. */
const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/** For texts that programs may read too: `1 call`, `2000 calls` */
export const plainCounted = (count: number, noun: string): string => `${count} ${nounFor(count, noun)}`

const singularOfIrregular = new Map([...irregular].map(([singular, plural]) => [plural, singular]))
/** Plurals for which the endings below give a wrong singular. */
const irregularSingulars = new Map([
  ['movies', 'movie'],
  ['cookies', 'cookie'],
  ['ties', 'tie'],
  ['caches', 'cache'],
  ['axes', 'axis'],
])

/** For names of single things, such as schemas: the result for an unusual word is readable, though it may be wrong. */
export const singularOf = (word: string): string => {
  const known = singularOfIrregular.get(word) ?? irregularSingulars.get(word)
  if (known !== undefined) return known
  if (!looksPlural(word) || (irregularPlurals.has(word) && !/us$|is$/.test(word))) return word
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(aly|the|cri|gno)ses$/.test(word)) return `${word.slice(0, -2)}is`
  const withoutEs = word.slice(0, -2)
  if (singularInS.has(withoutEs) || /(ss|sh|ch|x|[^aeo]us)es$/.test(word)) return withoutEs
  return word.slice(0, -1)
}
