/** The recipes of all lanes, kept in memory and in the journal, so that a restart does not change a prefix. */

import type { Recipe } from "../dispatch/recipe.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Journal } from "./journal.ts";

const STREAM = "engine/recipes";

/** A recipe is needed as long as its session goes on; the oldest ones belong to sessions that ended. */
const RECIPES_MAX = 10_000;

export class RecipeBook {
  readonly #recipes = new BoundedMap<string, readonly Recipe[]>(RECIPES_MAX);
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async load(): Promise<void> {
    await this.#journal.follow<Recipe>(STREAM, (recipe) => this.#keep(recipe));
  }

  get isEmpty(): boolean {
    return this.#recipes.count === 0;
  }

  at(anchor: string): readonly Recipe[] {
    return this.#recipes.get(anchor) ?? [];
  }

  /** A store that fails loses the recipe for the next process only; the journal counts it. */
  record(recipe: Recipe): void {
    if (this.#keep(recipe)) this.#journal.write(STREAM, "request.repair.recorded", recipe);
  }

  #keep(recipe: Recipe): boolean {
    const known = this.at(recipe.anchor);
    if (known.some(({ rule }) => rule === recipe.rule)) return false;
    this.#recipes.set(recipe.anchor, [...known, recipe]);
    return true;
  }
}
