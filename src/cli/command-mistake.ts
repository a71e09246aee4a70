/** A mistake of the user: its message is printed without a stack. */
export class CommandMistake extends Error {}
