/** Something the person at the keyboard can mend: shown as it is, without a stack. */
export class CommandMistake extends Error {}
