// What the console uses of the standalone build of htm and Preact.
export function html(strings: TemplateStringsArray, ...values: any[]): any;
export function render(tree: any, parent: Element): void;
export function useState<S>(initial: S | (() => S)): [S, (next: S | ((before: S) => S)) => void];
export function useEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useMemo<T>(make: () => T, when: unknown[]): T;
export function useRef<T>(initial: T): { current: T };
