// ---- standings of points, as `wormscope explore` has them ----

// Student's quantile for 95 %, two-sided, after Hill (Algorithm 396 of the ACM).
function student(n) {
  const p = 0.05;
  if (n < 1.000001) return 1 / Math.tan(p * Math.PI / 2);
  if (Math.abs(n - 2) < 1e-9) return Math.sqrt(2 / (p * (2 - p)) - 2);
  const a = 1 / (n - 0.5), b = 48 / (a * a);
  let c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt(a * Math.PI / 2) * n;
  let y = Math.pow(d * p, 2 / n);
  if (y > 0.05 + a) {
    const x = -1.959963984540054;
    y = x * x;
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6);
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
    y = Math.expm1(a * y * y);
  } else {
    y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2) + 1 / y;
  }
  return Math.sqrt(n * y);
}
function differs(one, other) {
  const error = one[3] + other[3], difference = Math.abs(one[0] - other[0]);
  if (error === 0) return difference > 0;
  if (difference <= 1.95 * Math.sqrt(error)) return false;
  const part = (e) => e[3] * e[3] / (Math.max(e[2], 2) - 1);
  return difference > student(error * error / (part(one) + part(other))) * Math.sqrt(error);
}
function relation(one, other, signs) {
  let worse = false, better = false, clearly = false;
  for (let i = 0; i < signs.length; i++) {
    const gain = signs[i] * (one[i][0] - other[i][0]);
    if (gain === 0) continue;
    const clear = differs(one[i], other[i]);
    if (gain < 0 && clear) return "";
    if (gain < 0) worse = true; else better = true;
    if (gain > 0 && clear) clearly = true;
  }
  if (!worse && clearly) return "dominated";
  return (worse && clearly) || (!worse && better && !clearly) ? "tie" : "";
}
// Standing of each of some points: "front", "tie" or "dominated". What can deadlock dominates nobody.
function standings(candidates, signs) {
  return candidates.map((one) => {
    let standing = "front";
    for (const other of candidates) {
      if (other === one || other.point.canDeadlock) continue;
      const found = relation(other.values, one.values, signs);
      if (found === "dominated") return found;
      if (found) standing = found;
    }
    return standing;
  });
}
