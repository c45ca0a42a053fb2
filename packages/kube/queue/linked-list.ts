/** A node carries its own links, so it is in at most one {@link LinkedList}. */
export interface LinkedNode<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** A FIFO with removal from the middle in constant time: a waiting key can move to another priority level. */
export class LinkedList<T extends LinkedNode<T>> implements Iterable<T> {
  #first: T | undefined;
  #last: T | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get first(): T | undefined {
    return this.#first;
  }

  push(node: T): void {
    node.previous = this.#last;
    node.next = undefined;
    if (this.#last) this.#last.next = node;
    else this.#first = node;
    this.#last = node;
    this.#length++;
  }

  /** Puts it before all others. */
  pushFirst(node: T): void {
    node.previous = undefined;
    node.next = this.#first;
    if (this.#first) this.#first.previous = node;
    else this.#last = node;
    this.#first = node;
    this.#length++;
  }

  remove(node: T): void {
    if (node.previous) node.previous.next = node.next;
    else this.#first = node.next;
    if (node.next) node.next.previous = node.previous;
    else this.#last = node.previous;
    node.previous = undefined;
    node.next = undefined;
    this.#length--;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let node = this.#first; node; node = node.next) yield node;
  }
}
