# Reference values for tests/stats, by R and its packages, from the made-up numbers of statistics_input.json.
# In this folder: Rscript statistics.R    (needs jsonlite, lme4, multcompView, survey; writes statistics_output.json)

suppressPackageStartupMessages({
  library(jsonlite)
  library(lme4)
  library(multcompView)
  library(survey)
})

input <- fromJSON("statistics_input.json", simplifyDataFrame = FALSE)

paired_permutation <- function(differences) {
  signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(differences))))
  mean(abs(signs %*% differences) >= abs(sum(differences)) - 1e-9)
}

people <- as.data.frame(lapply(input$people, unlist))
people$group <- relevel(factor(people$group), ref = "none")

cluster_robust <- function() {
  design <- svydesign(ids = ~person, weights = ~1, data = people)
  whole <- svymean(~score, design)
  by_group <- svyby(~score, ~group, svydesign(ids = ~person, strata = ~group, weights = ~1, data = people), svymean,
                    covmat = TRUE)
  difference <- svycontrast(by_group, list(difference = c(none = -1, some = 1)))
  list(mean = coef(whole)[[1]], se = SE(whole)[[1]], groups = coef(by_group), groups_se = SE(by_group),
       difference = coef(difference)[[1]], difference_se = SE(difference)[[1]])
}

# Topics cross people: one person may have talked about both.
crossed <- function() {
  design <- as.svrepdesign(svydesign(ids = ~person, weights = ~1, data = people), type = "JK1", mse = TRUE)
  by_topic <- svyby(~score, ~topic, design, svymean, covmat = TRUE)
  difference <- svycontrast(by_topic, list(difference = c(family = 1, work = -1)))
  list(difference = coef(difference)[[1]], se = SE(difference)[[1]])
}

mixed <- function() {
  fit <- lmer(score ~ group + (1 | person), data = people, REML = TRUE,
              control = lmerControl(optCtrl = list(ftol_abs = 1e-12, xtol_abs = 1e-12)))
  variances <- as.data.frame(VarCorr(fit))$vcov
  list(coefficients = unname(fixef(fit)), se = unname(sqrt(diag(as.matrix(vcov(fit))))),
       cluster_variance = variances[1], residual_variance = variances[2])
}

# Models and persons crossed, both random: the G study.
generalisability <- function() {
  scores <- input$models_by_person
  long <- data.frame(score = as.vector(scores), model = factor(row(scores)), person = factor(col(scores)))
  squares <- anova(lm(score ~ model + person, data = long))[["Mean Sq"]]
  between <- (squares[1] - squares[3]) / ncol(scores)
  error <- squares[3] / ncol(scores)
  fit <- as.data.frame(VarCorr(lmer(score ~ (1 | model) + (1 | person), data = long)))
  list(between = between, error = error, coefficient = between / (between + error),
       lmer_between = fit$vcov[fit$grp == "model"], lmer_error = fit$vcov[fit$grp == "Residual"] / ncol(scores))
}

# Krippendorff 2011, sections C and D: by the matrix of coincidences.
alpha <- function(ratings, distance) {
  values <- sort(unique(ratings[!is.na(ratings)]))
  coincidences <- matrix(0, length(values), length(values))
  for (unit in seq_len(ncol(ratings))) {
    rated <- match(ratings[!is.na(ratings[, unit]), unit], values)
    for (i in seq_along(rated)) for (j in seq_along(rated)) if (i != j) {
      coincidences[rated[i], rated[j]] <- coincidences[rated[i], rated[j]] + 1 / (length(rated) - 1)
    }
  }
  n <- rowSums(coincidences)
  apart <- outer(values, values, distance)
  1 - (sum(n) - 1) * sum(coincidences * apart) / sum(outer(n, n) * apart)
}

letters_of <- function() {
  apart <- matrix(FALSE, 7, 7, dimnames = list(paste0("m", 0:6), paste0("m", 0:6)))
  for (row in seq_len(nrow(input$distinguished_pairs))) {
    pair <- input$distinguished_pairs[row, ] + 1
    apart[pair[1], pair[2]] <- apart[pair[2], pair[1]] <- TRUE
  }
  unname(multcompLetters(apart)$Letters)
}

equivalence <- function(case) {
  df <- case$clusters - 1
  below <- pt((case$value + case$margin) / case$se, df, lower.tail = FALSE)
  above <- pt((case$value - case$margin) / case$se, df)
  list(p = max(below, above), lower = case$value - qt(0.95, df) * case$se, upper = case$value + qt(0.95, df) * case$se)
}

power_of <- function(case) {
  found <- power.t.test(n = case$n, delta = case$difference, sd = case$sd, sig.level = case$alpha, type = "paired",
                        strict = TRUE)$power
  smallest <- power.t.test(n = case$n, power = 0.8, sd = case$sd, sig.level = case$alpha, type = "paired",
                           strict = TRUE, tol = 1e-10)$delta
  list(power = found, smallest = smallest)
}

versions <- sapply(c("jsonlite", "lme4", "multcompView", "survey"), function(name) as.character(packageVersion(name)))
output <- list(
  versions = as.list(c(R = as.character(getRversion()), versions)),
  holm = p.adjust(input$p_values, "holm"),
  bh = p.adjust(input$p_values, "BH"),
  paired_permutation = paired_permutation(input$paired_differences),
  cluster_robust = cluster_robust(),
  crossed = crossed(),
  mixed = mixed(),
  spearman = cor(input$ranks$x, input$ranks$y, method = "spearman"),
  kendall = cor(input$ranks$x, input$ranks$y, method = "kendall"),
  generalisability = generalisability(),
  alpha = list(nominal = alpha(input$ratings, function(a, b) a != b),
               interval = alpha(input$ratings, function(a, b) (a - b)^2)),
  letters = letters_of(),
  power = lapply(input$power, power_of),
  equivalence = lapply(input$equivalence, equivalence)
)
write(toJSON(output, auto_unbox = TRUE, digits = 12, pretty = TRUE), "statistics_output.json")
