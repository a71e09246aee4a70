/**
 * A sentence for the error that TypeScript prints: nothing has this type, so the declaration that should have it is underlined, and the
 * error shows what is wrong and which names there are.
 */
export interface TypeMistake<What extends string, Allowed extends string = never> {
  readonly whatIsWrong: What
  readonly allowed: Allowed
}
