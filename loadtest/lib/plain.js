// What k6 itself writes of a run, with --summary-export, as other programs expect it.
import { thresholds } from './metrics.js';

// plain removes from the data of a summary what only the result of this script needs: sub-metrics without a threshold,
// quantiles other than those that are shown, and the ids and symbols of setup().
export function plain(data, shown) {
  const { metrics } = data;
  const limits = thresholds();
  for (const name of Object.keys(metrics)) {
    if (limits[name] !== undefined && limits[name].length === 0) {
      delete metrics[name];
      continue;
    }
    const { values } = metrics[name];
    if (metrics[name].type !== 'trend') continue;
    for (const stat of Object.keys(values)) {
      if (!shown.includes(stat)) delete values[stat];
    }
  }
  delete data.setup_data;
}
