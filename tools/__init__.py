"""Programs that look after the repository; none of them is part of the installed package."""
