/**
 * What counts as one address. An IPv6 customer usually has a whole /64 and may send each request from another address in it, so that
 * is its first 64 bits, however they are written.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.toLowerCase().split('::', 2)
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const left = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array<string>(left).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}

const groupsOf = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))
