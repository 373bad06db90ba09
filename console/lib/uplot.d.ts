// What the console uses of uPlot.
declare class uPlot {
  constructor(options: object, data: (number | null)[][], place: HTMLElement);
  static paths: { bars(options: object): unknown };
  setSize(size: { width: number; height: number }): void;
  redraw(): void;
  destroy(): void;
}
export default uPlot;
