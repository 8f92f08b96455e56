"""Tables for people: the leaderboard on a terminal, as Markdown and as CSV."""
